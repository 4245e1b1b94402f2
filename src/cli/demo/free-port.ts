import { createServer } from 'node:net'

/** The port if it is free on the loopback interface, otherwise 0, for which the system assigns a free one. */
export function preferredPort(port: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const probe = createServer()
  probe.once('error', () => resolve(0))
  // Without SO_REUSEPORT, so that a port of another gateway is detected as in use.
  probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(port)))
  return promise
}
