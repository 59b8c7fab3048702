// In a world of its own, at the start of every document: when was an element last added, what was refused?
(() => {
  globalThis.lastAdded = 0;
  globalThis.refused = 0;
  document.addEventListener("bot-etiquette-refused", () => globalThis.refused++, true);
  new MutationObserver((records) => {
    for (const record of records)
      for (const node of record.addedNodes)
        if (node.nodeType === Node.ELEMENT_NODE) {
          globalThis.lastAdded = performance.now();
          return;
        }
  }).observe(document, { childList: true, subtree: true });
})();
