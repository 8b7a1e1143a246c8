(function () {
  "use strict";

  // Tables sort by a click on their head: numbers from the largest, texts from the first letter.
  function valueOf(row, column) {
    var cell = row.cells[column];
    return cell.hasAttribute("data-v") ? Number(cell.getAttribute("data-v")) : cell.textContent.trim();
  }
  document.querySelectorAll("table.sortable thead button").forEach(function (button) {
    button.addEventListener("click", function () {
      var head = button.closest("th"), body = head.closest("table").tBodies[0];
      var rows = Array.from(body.rows), column = head.cellIndex;
      var numbers = rows.length > 0 && typeof valueOf(rows[0], column) === "number";
      var was = head.getAttribute("aria-sort");
      var down = was === null ? numbers : was === "ascending";
      rows.sort(function (one, other) {
        var a = valueOf(one, column), b = valueOf(other, column);
        var order = numbers ? (a > b) - (a < b) : a.localeCompare(b, undefined, { numeric: true });
        return down ? -order : order;
      });
      head.parentElement.querySelectorAll("th").forEach(function (th) { th.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      rows.forEach(function (row) { body.appendChild(row); });
    });
  });

  // Try a case. Everything from the table arrives as data and leaves as text, never as markup.
  var source = document.getElementById("case-data");
  if (source === null) { return; }
  var rule = JSON.parse(source.textContent);
  var form = document.getElementById("case"), answer = document.getElementById("answer");
  var MOST_STEPS = 100000;

  function pick(input, place) {
    var attribute = rule.attributes[place];
    if (attribute.cuts === undefined) { return Number(input.value); }
    if (input.value.trim() === "" || !isFinite(Number(input.value))) { return attribute.options.length - 1; }
    return attribute.cuts.filter(function (cut) { return Number(input.value) >= cut; }).length;
  }
  function literalsOf(state) {
    var held = new Set();
    state.forEach(function (option, place) {
      rule.attributes[place].holds[option].forEach(function (literal) { held.add(literal); });
    });
    return held;
  }
  function firing(state) {
    var held = literalsOf(state), found = [];
    rule.terms.forEach(function (term, number) {
      if (term.every(function (literal) { return held.has(literal); })) { found.push(number); }
    });
    return found;
  }
  function suggested(place) {
    return Array.from(Array(rule.attributes[place].suggested).keys());
  }
  function fulfil(state) {
    var held = literalsOf(state), best = null;
    rule.terms.forEach(function (term) {
      var changes = [], possible = true;
      rule.attributes.forEach(function (attribute, place) {
        var wanted = term.filter(function (literal) { return attribute.literals.includes(literal); });
        if (wanted.every(function (literal) { return held.has(literal); })) { return; }
        var options = suggested(place).filter(function (option) {
          return wanted.every(function (literal) { return attribute.holds[option].includes(literal); });
        });
        possible = possible && options.length > 0;
        changes.push([place, options]);
      });
      if (possible && (best === null || changes.length < best.length)) { best = changes; }
    });
    return best;
  }
  function undo(state) {
    var steps = MOST_STEPS;
    function search(now, changed, size) {
      steps -= 1;
      var found = firing(now);
      if (found.length === 0) { return now; }
      if (size === 0 || steps < 0) { return null; }
      var term = rule.terms[found[0]];
      for (var place = 0; place < now.length; place += 1) {
        var attribute = rule.attributes[place];
        if (changed.has(place) || !attribute.literals.some(function (x) { return term.includes(x); })) { continue; }
        for (var option = 0; option < attribute.suggested; option += 1) {
          var next = now.slice();
          next[place] = option;
          var done = search(next, new Set(changed).add(place), size - 1);
          if (done !== null) { return done; }
        }
      }
      return null;
    }
    for (var size = 1; size <= state.length; size += 1) {
      var end = search(state, new Set(), size);
      if (end !== null) {
        return end.map(function (option, place) { return [place, option]; })
          .filter(function (pair) { return pair[1] !== state[pair[0]]; })
          .map(function (pair) {
            return [pair[0], suggested(pair[0]).filter(function (option) {
              var other = end.slice();
              other[pair[0]] = option;
              return firing(other).length === 0;
            })];
          });
      }
    }
    return null;
  }
  function element(tag, text, name) {
    var made = document.createElement(tag);
    made.textContent = text;
    if (name) { made.className = name; }
    return made;
  }
  function oneOf(texts) {
    var few = texts.slice(0, 6);
    if (texts.length > few.length) { return few.join(", ") + " or " + (texts.length - few.length) + " others"; }
    return few.length < 2 ? few.join("") : few.slice(0, -1).join(", ") + " or " + few[few.length - 1];
  }
  function show() {
    var inputs = Array.from(form.querySelectorAll("[data-place]"));
    var state = inputs.map(pick), found = firing(state), holds = found.length > 0;
    var changes = holds ? undo(state) : fulfil(state);
    var risk = rule.risk[holds ? 1 : 0];
    answer.replaceChildren(
      element("strong", holds ? "The rule holds." : "The rule does not hold."),
      element("div", risk[0], "risk-now"),
      element("div", "risk of “" + rule.positive + "”, 95 % interval " + risk[1], "dim"),
      element("h3", "Terms that hold")
    );
    var list = document.createElement("ul");
    rule.words.forEach(function (words, number) {
      list.appendChild(element("li", words, found.includes(number) ? "fires" : ""));
    });
    answer.appendChild(list);
    answer.appendChild(element("h3", "Nearest change that would " + (holds ? "undo it" : "make it hold")));
    var told = document.createElement("ul");
    told.id = "change";
    (changes || []).forEach(function (change) {
      var attribute = rule.attributes[change[0]];
      var options = change[1].map(function (option) { return attribute.options[option]; });
      var input = inputs[change[0]];
      var now = attribute.cuts === undefined ? attribute.options[state[change[0]]] : (input.value || "not known");
      told.appendChild(element("li", attribute.name + ": from " + now + " to " + oneOf(options)));
    });
    if (changes === null) { told.appendChild(element("li", "None was found.")); }
    answer.appendChild(told);
  }
  form.addEventListener("input", show);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  form.addEventListener("reset", function () { setTimeout(show, 0); });
  show();
})();
