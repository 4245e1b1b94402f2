/** Waits for the end of the reads of one turn of the event loop. */
export interface ReadEndReceiver {
  /** All bytes that were read are parsed, on all connections. */
  onReadEnd(): void
}

const waiting: ReadEndReceiver[] = []

/** Calls `onReadEnd` once. One immediate serves all receivers of a turn. */
export function atReadEnd(receiver: ReadEndReceiver): void {
  if (waiting.push(receiver) === 1) setImmediate(callAll)
}

function callAll(): void {
  for (const receiver of waiting.splice(0)) receiver.onReadEnd()
}
