import type { Socket } from 'node:net'

let corked: Socket[] = []

/**
 * Holds back what is written to the socket until all sockets that were readable in this iteration of the event loop are read.
 * Writes of many requests then follow each other: the first wakes the process of the upstream where it is on this machine,
 * and the others find it awake (docs/guide/performance.md, Inlining and wake-ups).
 */
export function corkUntilPollEnds(socket: Socket): void {
  socket.cork()
  if (corked.push(socket) === 1) setImmediate(uncorkAll)
}

function uncorkAll(): void {
  const sockets = corked
  corked = []
  // Does nothing for those that were destroyed.
  for (const socket of sockets) socket.uncork()
}
