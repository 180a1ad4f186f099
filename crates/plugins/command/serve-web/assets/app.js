// What a page does beyond being read: theme, keys, local times, and following changes.
//
// Everything but these works without it. It loads nothing from elsewhere, keeps one word (the theme) in
// the browser, and puts only what our own server made into the page.
"use strict";

const root = document.documentElement;
root.classList.add("js");

/* Theme: what the reader chose, or what the system says. Set before anything is drawn. */

function readTheme() {
  try { return localStorage.getItem("theme"); } catch { return null; }
}

function setTheme(theme) {
  root.dataset.theme = theme;
  try { localStorage.setItem("theme", theme); } catch { /* Then it lasts as long as the page. */ }
}

function toggleTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  setTheme((root.dataset.theme || system) === "dark" ? "light" : "dark");
}

const theme = readTheme();
if (theme === "dark" || theme === "light") root.dataset.theme = theme;

/* Times in the zone of the reader. */

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const calendar = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const UNITS = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];

function ago(date) {
  const seconds = (Date.now() - date) / 1000;
  const unit = UNITS.find(([, size]) => seconds >= size);
  return unit ? relative.format(-Math.floor(seconds / unit[1]), unit[0]) : "just now";
}

function localizeTimes(within) {
  for (const element of within.querySelectorAll("time[datetime]")) {
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.valueOf())) continue;
    element.title = calendar.format(date);
    if ("relative" in element.dataset) element.textContent = ago(date);
    else element.textContent = (element.closest("h2") ? calendar : clock).format(date);
  }
}

/* Code can be copied. */

function addCopyButtons(within) {
  if (!navigator.clipboard) return;
  for (const block of within.querySelectorAll("pre.code")) {
    if (block.parentElement.classList.contains("code-box")) continue;
    const box = document.createElement("div");
    box.className = "code-box";
    block.replaceWith(box);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    box.append(block, button);
  }
}

/* Which turn or conversation the keys are at. */

const stops = () => [...document.querySelectorAll(".turn, .conversation")];
let here = null;

function goTo(stop, scroll) {
  if (!stop) return;
  here?.classList.remove("here");
  here = stop;
  here.classList.add("here");
  markOutline(stop.id);
  if (scroll) {
    const list = stop.classList.contains("conversation");
    stop.scrollIntoView({ block: list ? "nearest" : "start" });
  }
  if (stop.href) stop.focus({ preventScroll: true });
}

function step(by) {
  const all = stops();
  let index = all.indexOf(here);
  if (index < 0) {
    // From where the reader has scrolled to.
    const top = document.querySelector(".bar").offsetHeight + 24;
    const next = all.findIndex((stop) => stop.getBoundingClientRect().top > top);
    index = (next < 0 ? all.length : next) - (by > 0 ? 1 : 0);
  }
  goTo(all[Math.max(0, Math.min(all.length - 1, index + by))], true);
}

function markOutline(id) {
  for (const item of document.querySelectorAll(".outline li")) {
    const is = item.querySelector("a").hash === `#${id}`;
    item.classList.toggle("here", is);
    // Only the outline is scrolled: the page is where the reader wants it.
    const list = item.closest(".outline");
    if (is && item.offsetTop < list.scrollTop) list.scrollTop = item.offsetTop;
    const below = item.offsetTop + item.offsetHeight - list.clientHeight;
    if (is && below > list.scrollTop) list.scrollTop = below;
  }
}

/* The outline follows the reader. */

function watchTurns() {
  if (!document.querySelector(".outline a")) return;
  const observer = new IntersectionObserver((entries) => {
    const entered = entries.find((entry) => entry.isIntersecting);
    if (entered) markOutline(entered.target.id);
  }, { rootMargin: "-15% 0px -80% 0px" });
  for (const turn of document.querySelectorAll(".turn")) observer.observe(turn);
}

/* Keys */

function toggleDetails() {
  const all = [...document.querySelectorAll("details.event")];
  const open = all.some((element) => !element.open);
  for (const element of all) element.open = open;
}

const follow = (selector) => document.querySelector(selector)?.click();
const KEYS = {
  "j": () => step(1),
  "k": () => step(-1),
  "/": () => {
    const field = document.getElementById("q");
    if (field) { field.focus(); field.select(); } else location.assign("/#q");
  },
  "n": () => follow("a[rel=next]"),
  "p": () => follow("a[rel=prev]"),
  "o": toggleDetails,
  "u": () => follow(".brand"),
  "G": () => scrollTo(0, document.body.scrollHeight),
  "t": toggleTheme,
  "?": () => document.getElementById("keys").showModal(),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // What is in a dialog that was closed can still have the focus.
  const fields = "input, select, textarea, dialog[open]";
  const within = event.target instanceof Element && event.target.closest(fields);
  if (within) {
    if (event.key === "Escape" && within.tagName !== "DIALOG") within.blur();
    return;
  }
  const action = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
  if (!action) return;
  event.preventDefault();
  action();
}

/* Following changes. A page that nobody sees does not listen: browsers have few connections to a host. */

let source = null;
/* How long to wait before what could not be had is asked for again, in milliseconds. */
const AGAIN = [1000, 2000, 5000, 10000];
/* What is said to be there, and the timer that asks for it again. */
let wanted = null;
let again = null;

function listen() {
  const { listen: address, seen } = document.body.dataset;
  if (!address || source || document.hidden) return;
  source = new EventSource(`${address}?seen=${encodeURIComponent(seen)}`);
  source.addEventListener("open", () => setLive("on"));
  source.addEventListener("change", (event) => { wanted = event.data; catchUp(0); });
  source.addEventListener("gone", () => { stopListening(); setLive("off"); });
  source.addEventListener("error", () => {
    setLive("off");
    // The browser tries again by itself, unless the server has said no.
    if (source?.readyState === EventSource.CLOSED) { stopListening(); setTimeout(listen, 10000); }
  });
}

/* Asks for what is new until it is here: only then it is seen, and what was not had is asked for again,
   also by a page that listens anew. */
function catchUp(failures) {
  clearTimeout(again);
  const state = wanted;
  update().then(() => {
    document.body.dataset.seen = state;
    if (source) setLive("on");
  }, () => {
    setLive("off");
    clearTimeout(again);
    again = setTimeout(() => catchUp(failures + 1), AGAIN[Math.min(failures, AGAIN.length - 1)]);
  });
}

function stopListening() {
  source?.close();
  source = null;
  clearTimeout(again);
}

function setLive(state) {
  const light = document.querySelector(".live");
  light.dataset.state = state;
  light.textContent = state === "on" ? "Live" : "Offline";
}

let updating = Promise.resolve();

/* One after the other: two answers that cross would put events in twice. */
function update() {
  const next = document.getElementById("events") ? updateConversation : updateList;
  updating = updating.then(next, next);
  return updating;
}

async function get(address) {
  const answer = await fetch(address, { cache: "no-store" });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

async function updateList() {
  const page = await get(location.href);
  const results = page.getElementById("results");
  const address = here?.getAttribute("href");
  localizeTimes(results);
  document.getElementById("results").replaceWith(document.adoptNode(results));
  const again = stops().find((stop) => stop.getAttribute("href") === address);
  here = null;
  if (again && address) goTo(again, false);
}

async function updateConversation() {
  const since = document.body.dataset.since;
  const more = document.querySelector(".more");
  // On an earlier page nothing is added; the reader can go to the end.
  if (!since) { more.hidden = false; return; }
  const events = document.getElementById("events");
  const atEnd = innerHeight + scrollY >= document.body.scrollHeight - 160;
  let answer;
  do {
    const page = await get(since + events.dataset.next);
    answer = page.body.firstElementChild;
    localizeTimes(answer);
    addCopyButtons(answer);
    for (const turn of [...answer.children]) addTurn(events, document.adoptNode(turn));
    events.dataset.next = answer.dataset.next;
  } while (Number(answer.dataset.next) < Number(answer.dataset.events));
  document.querySelector(".numbers").textContent = answer.dataset.about;
  document.querySelector(".heading time").dateTime = answer.dataset.last;
  localizeTimes(document.querySelector(".heading"));
  document.querySelector(".transcript > .message")?.remove();
  if (atEnd) scrollTo(0, document.body.scrollHeight);
  else more.hidden = false;
}

function addTurn(events, turn) {
  for (const event of turn.querySelectorAll(":scope > .event")) event.classList.add("new");
  const known = document.getElementById(turn.id);
  if (!known) { events.append(turn); addToOutline(turn); return; }
  for (const event of turn.querySelectorAll(":scope > .event")) {
    if (!document.getElementById(event.id)) known.append(event);
  }
}

function addToOutline(turn) {
  const link = document.createElement("a");
  link.href = `#${turn.id}`;
  const number = document.createElement("span");
  number.className = "number";
  number.textContent = turn.id.replace("turn-", "");
  const text = document.createElement("span");
  text.textContent = (turn.querySelector(".user .body")?.textContent ?? "…").trim().slice(0, 90);
  link.append(number, text);
  const item = document.createElement("li");
  item.append(link);
  document.querySelector(".outline ol")?.append(item);
}

/* An address may lead to details that are closed. */

function openTarget() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (!target) return;
  if (target.id === "q") { target.focus(); return; }
  if (target.tagName === "DETAILS") target.open = true;
  if (target.classList.contains("turn")) goTo(target, false);
  target.scrollIntoView();
}

document.addEventListener("DOMContentLoaded", () => {
  localizeTimes(document);
  addCopyButtons(document);
  openTarget();
  watchTurns();
  listen();
  addEventListener("hashchange", openTarget);
  addEventListener("keydown", onKey);
  addEventListener("pagehide", stopListening);
  addEventListener("pageshow", listen);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) stopListening(); else listen();
  });
  document.querySelector(".theme").addEventListener("click", toggleTheme);
  document.querySelector(".help").addEventListener("click", KEYS["?"]);
  document.querySelector(".more")?.addEventListener("click", (event) => {
    if (!document.body.dataset.since) return;
    event.preventDefault();
    event.currentTarget.hidden = true;
    scrollTo(0, document.body.scrollHeight);
  });
  for (const field of document.querySelectorAll(".search select, .search input[type=checkbox]")) {
    field.addEventListener("change", () => field.form.requestSubmit());
  }
});
