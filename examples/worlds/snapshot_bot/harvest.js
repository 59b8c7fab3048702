fetch('/harvest.json').then((answer) => answer.json()).then((harvest) => {
  document.title = 'Harvest: ' + harvest.kinds.length + ' kinds today';
  document.getElementById('today').textContent = 'Picked today: ' + harvest.kinds.join(', ');
  const link = document.createElement('a');
  link.href = harvest.next;
  link.textContent = 'What ripens next';
  document.body.append(link);
});
navigator.sendBeacon('/seen', 'harvest');
new WebSocket('ws://' + location.host + '/live');
