// In the page's world: the one thing that the protocol does not tell of. The seal does not need it.
(() => {
  const tell = globalThis.__refused;
  delete globalThis.__refused;
  const refuse = function RTCPeerConnection() {
    tell("web-rtc");
    throw new DOMException("no peer connection is made here", "NotSupportedError");
  };
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"])
    if (name in globalThis)
      Object.defineProperty(globalThis, name, { value: refuse, writable: true, configurable: true });
})();
