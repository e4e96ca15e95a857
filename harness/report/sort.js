/* Sorts a table by the column whose heading is pressed: by the first number in a cell, else by its text. */
(function () {
  'use strict';
  function key(row, column) {
    var text = row.cells[column] ? row.cells[column].textContent.trim() : '';
    var number = /^[=<≤≥ ]*([−-]?[0-9.]+)/.exec(text);
    if (number) return Number(number[1].replace('−', '-'));
    return text === '' || text === '–' ? null : text.toLowerCase();
  }
  function order(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  function sort(table, head, column) {
    var down = head.cells[column].getAttribute('aria-sort') === 'ascending';
    var rows = Array.prototype.slice.call(table.rows, 1).map(function (row, i) {
      return { row: row, key: key(row, column), at: i };
    });
    rows.sort(function (a, b) {
      var by = order(a.key, b.key);
      return (down && a.key !== null && b.key !== null ? -by : by) || a.at - b.at;
    });
    rows.forEach(function (one) { one.row.parentNode.appendChild(one.row); });
    Array.prototype.forEach.call(head.cells, function (th, i) {
      if (i === column) th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      else th.removeAttribute('aria-sort');
    });
  }
  Array.prototype.forEach.call(document.querySelectorAll('table'), function (table) {
    var head = table.rows[0];
    if (table.rows.length < 3) return;
    Array.prototype.forEach.call(head.cells, function (th, i) {
      var button = document.createElement('button');
      button.type = 'button';
      button.textContent = th.textContent;
      th.textContent = '';
      th.appendChild(button);
      button.addEventListener('click', function () { sort(table, head, i); });
    });
  });
})();
