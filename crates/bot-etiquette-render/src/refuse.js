// In the page's world, in every frame: what the protocol does not tell of, and what would hold the page up. The seal
// does not need it.
(() => {
  const tell = (kind) => document.dispatchEvent(new Event("bot-etiquette-" + kind));
  const define = (name, value) => {
    if (name in globalThis) Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  };
  const refuse = function RTCPeerConnection() {
    tell("peer");
    throw new DOMException("no peer connection is made here", "NotSupportedError");
  };
  define("RTCPeerConnection", refuse);
  define("webkitRTCPeerConnection", refuse);
  // Answered as one dismisses them. A script that asks for ever could not be stopped while a question is open.
  define("alert", function alert() { tell("dialog"); });
  define("confirm", function confirm() { tell("dialog"); return false; });
  define("prompt", function prompt() { tell("dialog"); return null; });
  define("print", function print() { tell("dialog"); });
})();
