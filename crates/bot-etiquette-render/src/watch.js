// In a world of its own, at the start of every document: when was an element last added, what was refused?
(() => {
  globalThis.lastAdded = 0;
  globalThis.refused = { peer: 0, dialog: 0 };
  for (const kind in refused) document.addEventListener("bot-etiquette-" + kind, () => refused[kind]++, true);
  new MutationObserver((records) => {
    for (const record of records)
      for (const node of record.addedNodes)
        if (node.nodeType === Node.ELEMENT_NODE) {
          globalThis.lastAdded = performance.now();
          return;
        }
  }).observe(document, { childList: true, subtree: true });
})();
