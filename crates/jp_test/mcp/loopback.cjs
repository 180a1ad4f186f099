// Loaded before a server of somebody else: whatever address and port it asks for, it gets a free
// port on the loopback address, and the first line of its output says which.
const net = require('node:net');
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...args) {
  const ready = args.find((arg) => typeof arg === 'function');
  if (ready) this.once('listening', ready);
  this.once('listening', () => process.stdout.write(`listening ${this.address().port}\n`));
  return listen.call(this, { host: '127.0.0.1', port: 0 });
};
