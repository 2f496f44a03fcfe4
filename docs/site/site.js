// SPDX-License-Identifier: Apache-2.0
// The search over titles and headings, and the menu of small screens. Everything works without it.
(() => {
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const top = document.body.dataset.top;
  let chosen = -1;

  /** Entries that have every word; pages before headings, those that begin with the text first. */
  function find(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const score = ([title, , page]) => (page ? 2 : 0) + (title.toLowerCase().startsWith(words[0]) ? 0 : 1);
    return window.searchIndex
      .filter(([title, , page]) => words.every((word) => `${title} ${page}`.toLowerCase().includes(word)))
      .sort((a, b) => score(a) - score(b))
      .slice(0, 30);
  }

  function show() {
    const entries = find(search.value);
    found.replaceChildren(
      ...entries.map(([title, target, page]) => {
        const link = document.createElement("a");
        link.href = top + target;
        link.textContent = title;
        if (page) {
          const where = document.createElement("small");
          where.textContent = page;
          link.append(where);
        }
        return link;
      }),
    );
    chosen = -1;
    found.hidden = entries.length === 0;
  }

  function choose(step) {
    const links = [...found.children];
    if (links.length === 0) return;
    links[chosen]?.classList.remove("chosen");
    chosen = (chosen + step + links.length) % links.length;
    links[chosen].classList.add("chosen");
    links[chosen].scrollIntoView({ block: "nearest" });
  }

  search.addEventListener("input", show);
  search.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(1);
    else if (event.key === "ArrowUp") choose(-1);
    else if (event.key === "Enter") (found.children[Math.max(chosen, 0)] ?? search).click();
    else if (event.key === "Escape") (search.value = ""), show();
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    search.focus();
  });
  document.addEventListener("click", (event) => {
    if (!found.contains(event.target) && event.target !== search) found.hidden = true;
  });
  document.getElementById("menu").addEventListener("click", () => document.body.classList.toggle("open"));
  document.querySelector("nav .here")?.scrollIntoView({ block: "nearest" });
  window.trammel = { pages: window.searchIndex.length };
})();
