// In the page's world: the one thing that the protocol does not tell of. The seal does not need it.
(() => {
  const refuse = function RTCPeerConnection() {
    document.dispatchEvent(new Event("bot-etiquette-refused"));
    throw new DOMException("no peer connection is made here", "NotSupportedError");
  };
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"])
    if (name in globalThis)
      Object.defineProperty(globalThis, name, { value: refuse, writable: true, configurable: true });
})();
