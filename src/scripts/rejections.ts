import type { Logger } from '#logging'
import type { Guard } from './guard.ts'
import type { Realm } from './realm.ts'

interface Owner {
  readonly realm: WeakRef<Realm>
  readonly guard: Guard
  readonly logger: Logger
}

/** Whose promises are whose, by what all promises of a realm inherit from. */
const owners = new WeakMap<object, Owner>()
let listening = false

/**
 * A promise that a script lets fail without anybody waiting for it would end the thread, as it does everywhere in Node.
 * Of scripts it is only logged: one object must not take a unit with it. Those of the gateway itself stay what they were.
 */
export function watchRejections(realm: Realm, guard: Guard, logger: Logger): void {
  owners.set(realm.promisePrototype, { realm: new WeakRef(realm), guard, logger })
  if (listening) return
  listening = true
  process.on('unhandledRejection', (reason, promise) => {
    const owner = owners.get(Object.getPrototypeOf(promise))
    if (owner !== undefined) log(owner, reason)
    else if (process.listenerCount('unhandledRejection') === 1) throw reason
  })
}

function log({ realm, guard, logger }: Owner, reason: unknown): void {
  const write = (problem: string) => logger.error({ problem }, 'a promise that the script did not wait for has failed')
  guard.enqueue({
    // The words for what was thrown may be the script's own code.
    run: () => {
      const text = realm.deref()?.describe(reason)
      guard.afterwards(() => write(text === undefined ? 'unknown' : text.stack || text.message))
    },
    stopped: () => write('unknown'),
    failed: () => write('unknown'),
  })
}
