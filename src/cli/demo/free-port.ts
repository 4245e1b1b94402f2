import { createServer } from 'node:net'

/** Why a port of the loopback interface can not be opened, as the code of the error; null where it can. */
export function portProblem(port: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const probe = createServer()
  probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown'))
  // Without SO_REUSEPORT, so that a port of another gateway is detected as in use.
  probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(null)))
  return promise
}

/** The port if it is free, otherwise 0, for which the system assigns a free one. */
export async function preferredPort(port: number): Promise<number> {
  return (await portProblem(port)) === null ? port : 0
}
