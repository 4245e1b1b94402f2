import { setTimeout as wait } from 'node:timers/promises'
import { type Attack, pick } from './attack.ts'
import { HostileConnection } from './connection.ts'

const CONNECTIONS = 50

/** Many connections at once that send nothing, a byte, or part of a TLS handshake. */
export const connectionFloods: Attack = {
  name: 'connection floods',
  clients: 1,
  async turn({ port, securePort }, round) {
    const [at, bytes] = pick(
      [[port, ''] as const, [securePort, '\u0016\u0003\u0001'] as const, [port, 'G'] as const],
      round,
    )
    using open = new DisposableStack()
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        const connection = open.use(await HostileConnection.open(at))
        if (bytes !== '') await connection.send(bytes)
      }),
    )
    await wait(2_000)
  },
}
