import { createServer } from 'node:net'

/** The port if it is free on the loopback interface, otherwise 0, for which the system assigns a free one. */
export function preferredPort(port: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const probe = createServer()
  probe.once('error', () => resolve(0))
  // Without sharing the port, so that another gateway on it counts as taken.
  probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(port)))
  return promise
}
