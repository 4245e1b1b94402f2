import { types } from 'node:util'
import type { Logger } from '#logging'
import type { Guard } from './guard.ts'
import { EVENTS } from './log-events.ts'
import type { Realm } from './realm.ts'

interface Owner {
  readonly realm: WeakRef<Realm>
  readonly guard: Guard
  readonly logger: Logger
}

/** Realms by the object that all their promises inherit from. */
const owners = new WeakMap<object, Owner>()
let latest: Owner | null = null

/**
 * Logs unhandled rejections of scripts, which would otherwise end the thread: one object must not end a unit. Those of the
 * gateway are not affected.
 */
export function watchRejections(realm: Realm, guard: Guard, logger: Logger): void {
  const owner = { realm: new WeakRef(realm), guard, logger }
  owners.set(realm.promisePrototype, owner)
  if (latest === null) {
    process.on('unhandledRejection', (reason, promise) => {
      const found = ownerOf(promise)
      if (found !== null) log(found, reason)
      else if (process.listenerCount('unhandledRejection') === 1) throw reason
    })
  }
  latest = owner
}

/** Number of prototypes of a promise that are checked. */
const MAX_PROTOTYPES = 100

/**
 * The realm of a promise; null for one of the gateway. Scripts can set other prototypes: a proxy among them is not
 * accessed, since its traps are code of the script, and a promise without a prototype of the gateway belongs to a script.
 */
function ownerOf(promise: object): Owner | null {
  let prototype: object | null = promise
  for (let count = 0; count < MAX_PROTOTYPES; count += 1) {
    prototype = Object.getPrototypeOf(prototype) as object | null
    if (prototype === Promise.prototype) return null
    if (prototype === null || types.isProxy(prototype)) return latest
    const owner = owners.get(prototype)
    if (owner !== undefined) return owner
  }
  return latest
}

function log({ realm, guard, logger }: Owner, reason: unknown): void {
  const write = (problem: string) => logger.limited(problem).error({ problem }, EVENTS.PROMISE_REJECTED)
  guard.enqueue({
    // Describing the thrown value may run code of the script.
    run: () => {
      const text = realm.deref()?.describe(reason)
      guard.afterwards(() => write(text ?? 'unknown'))
    },
    stopped: () => write('unknown'),
    failed: () => write('unknown'),
  })
}
