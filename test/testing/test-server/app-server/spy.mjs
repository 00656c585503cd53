// Notes in the file SPY_LOG where this process connects to.
import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';

const { connect } = Socket.prototype;
Socket.prototype.connect = function (...given) {
  const [first] = Array.isArray(given[0]) ? given[0] : given;
  appendFileSync(process.env.SPY_LOG, `${first.host ?? first.path}\n`);
  return connect.apply(this, given);
};
