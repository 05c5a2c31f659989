// What a page does better with a script; without one it does all the same. Nothing is ever inserted as HTML.
"use strict";

(() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

  // -- Live: what hooks write appears where a page lists it.

  const pulse = $("[data-pulse]");
  const feed = $("[data-feed]");
  const pattern = $("#feed-item");

  const arrive = (event) => {
    const item = pattern.content.cloneNode(true).firstElementChild;
    const fill = (name, text) => { $(`[data-${name}]`, item).textContent = text; };
    $("[data-citation]", item).href = `/memory/${encodeURIComponent(event.citation)}`;
    fill("citation", event.citation);
    fill("what", event.what);
    fill("at", event.at);
    fill("text", event.text);
    item.classList.add("fresh");
    feed.prepend(item);
    while (feed.children.length > Number(feed.dataset.feed)) feed.lastElementChild.remove();
  };

  const news = (told) => {
    const counter = $("[data-events]");
    if (counter) {
      const count = Number(counter.dataset.events) + told.events.length;
      counter.dataset.events = String(count);
      counter.textContent = count.toLocaleString("en-US");
    }
    if (feed) told.events.forEach(arrive);
    const notice = $("[data-news]");
    if (notice && told.events.length) notice.hidden = false;
    $("[data-nothing]")?.remove();
  };

  let stream = null;
  const watch = () => {
    stream?.close();
    stream = null;
    if (document.hidden) return; // a browser keeps six connections to one place: those in sight come first
    stream = new EventSource("/live");
    const state = (on) => {
      pulse.classList.toggle("on", on);
      pulse.textContent = on ? pulse.dataset.on : pulse.dataset.off;
    };
    stream.addEventListener("ready", () => state(true));
    stream.addEventListener("news", (event) => news(JSON.parse(event.data)));
    stream.addEventListener("error", () => state(false));
  };
  if (pulse) {
    pulse.hidden = false;
    document.addEventListener("visibilitychange", watch);
    addEventListener("pagehide", () => stream?.close());
    watch();
  }

  // -- Keys: lists are walked with j and k, a proposal is decided with a, r and e. Enter does it, as everywhere.

  const typing = (target) => target.closest?.("input, textarea, select");
  let at = -1;
  const walk = (by) => {
    const items = $$("[data-walk]");
    if (!items.length) return;
    at = Math.min(items.length - 1, Math.max(0, at + by));
    items.forEach((item, number) => item.classList.toggle("chosen", number === at));
    const link = $("a", items[at]);
    link.focus();
    link.scrollIntoView({ block: "nearest" });
  };

  const keys = {
    j: () => walk(1),
    k: () => walk(-1),
    "/": () => $("[data-question]")?.focus(),
    "?": () => { const help = $("[data-help]"); if (help) help.open = !help.open; },
  };
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && typing(event.target)) { event.target.blur(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    // With a Korean input method on, the key of `a` says ㅁ, or that it is being processed: then its place counts.
    const key = /^[ -~]$/.test(event.key) ? event.key : event.code.replace(/^Key/, "").toLowerCase();
    const target = $(`[data-key="${CSS.escape(key)}"]`);
    const action = keys[key];
    if (!target && !action) return;
    event.preventDefault();
    if (target) {
      const fold = target.closest("details");
      if (fold) fold.open = true;
      target.focus();
      target.scrollIntoView({ block: "nearest" });
    } else action();
  });

  // -- A form is sent once.

  addEventListener("submit", (event) => {
    const form = event.target;
    if (form.dataset.sent) { event.preventDefault(); return; }
    if (form.method === "post") form.dataset.sent = "yes";
  });
  addEventListener("pageshow", () => $$("form[data-sent]").forEach((form) => delete form.dataset.sent));

  // -- What is asked to be shown is shown: the quote in a long text.

  const quote = $("mark[data-quote]");
  if (quote && !location.hash) quote.scrollIntoView({ block: "center" });
})();
