// In a world of its own, where the page's scripts cannot reach: what has become of the page?
((htmlLimit, linkLimit) => {
  const whole = (text) => text.toWellFormed();
  // A page may name an image "title" or "body": then the document's own property is hidden by it.
  const own = (name, of = Document) => Object.getOwnPropertyDescriptor(of.prototype, name).get.call(document);
  const roots = [];
  const links = [];
  let more = false;
  const hints = [];
  const pending = [document];
  // Shadow trees are visited after the tree they hang in: no recursion, whatever the nesting.
  while (pending.length) {
    const tree = pending.shift();
    const walker = Document.prototype.createTreeWalker.call(document, tree, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.shadowRoot instanceof ShadowRoot) {
        roots.push(node.shadowRoot);
        pending.push(node.shadowRoot);
      }
      if ((node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement) && node.hasAttribute("href")) {
        if (links.length >= linkLimit) more = true;
        else
          links.push({
            url: whole(node.href).slice(0, 8192),
            rel: whole(node.getAttribute("rel") ?? "").slice(0, 200),
            text: whole((node.textContent ?? "").trim().slice(0, 200)),
          });
      } else if (node instanceof HTMLLinkElement && hints.length < 200) {
        const rel = node.rel.toLowerCase().split(/\s+/);
        if (rel.includes("preconnect") || rel.includes("dns-prefetch")) hints.push(whole(node.href));
      }
    }
  }
  const root = own("documentElement");
  let html = root?.outerHTML ?? "";
  if (roots.length) {
    const open = root.cloneNode(false).outerHTML.replace(/<\/[^<>]*>$/, "");
    html = open + root.getHTML({ shadowRoots: roots }) + "</" + root.localName + ">";
  }
  const doctype = own("doctype");
  if (doctype) html = new XMLSerializer().serializeToString(doctype) + "\n" + html;
  // What can be seen of a shadow tree follows the rest.
  const shaded = roots.flatMap((tree) => [...tree.children].filter((child) => child.checkVisibility()));
  const text = [own("body"), ...shaded].map((node) => node?.innerText ?? "").join("\n").trimEnd();
  return {
    cut: html.length > htmlLimit || text.length > htmlLimit,
    html: whole(html.slice(0, htmlLimit)),
    text: whole(text.slice(0, htmlLimit)),
    title: whole(own("title").slice(0, 10000)),
    url: own("URL").slice(0, 8192),
    base: own("baseURI", Node).slice(0, 8192),
    links,
    more,
    hints,
    refused: globalThis.refused ?? {},
  };
})
