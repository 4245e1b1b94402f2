import type { Session } from 'node:inspector'
import { constants, createContext, Script } from 'node:vm'

/** Runs code, and stops it at the limit. */
export interface Watchdog {
  /** Returns whether the code was stopped. Stopped code does not run its `finally` blocks. */
  run(): 'done' | 'stopped'
}

/** The longest limit with the inspector, which retains a timer of each run until its limit. */
const MAX_NOTED = 5_000

/**
 * A watchdog of code that does not throw. V8 stops JavaScript only on request of another thread. The inspector has such a
 * thread for `Runtime.evaluate`; `vm` starts one for each run and waits for its end, which takes five times the CPU and, on a
 * busy machine, a wait for the scheduler.
 */
export function watchdogFor(code: () => void, limit: number): Watchdog {
  const session = limit <= MAX_NOTED ? inspectorSession() : null
  return session === null ? threadWatchdog(code, limit) : inspectorWatchdog(code, limit, session)
}

/** Uses a thread for each run. For long limits, and for a Node without inspector. */
export function threadWatchdog(code: () => void, limit: number): Watchdog {
  const context = createContext(constants.DONT_CONTEXTIFY, { microtaskMode: 'afterEvaluate' })
  Object.assign(context, { run: code })
  const script = new Script(`'use strict';run()`, { filename: 'watch' })
  return {
    run: () => {
      try {
        script.runInContext(context, { timeout: limit })
        return 'done'
      } catch (error) {
        if ((error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'stopped'
        throw error
      }
    },
  }
}

/** Global name of the function that `Runtime.evaluate` calls; secret within the thread. */
const turn = Symbol.for('gateway.scripts.turn')
// Strict, so that call sites do not expose its `this`.
const expression = `'use strict';globalThis[Symbol.for('gateway.scripts.turn')]()`

function inspectorWatchdog(code: () => void, limit: number, session: Session): Watchdog {
  const parameters = { expression, timeout: limit, silent: true, returnByValue: true }
  return {
    run: () => {
      let failure: Error | null = null
      Reflect.defineProperty(globalThis, turn, { value: code, configurable: true })
      // The callback runs before `post` returns.
      session.post('Runtime.evaluate', parameters, (error) => {
        failure = error
      })
      return outcomeOf(failure)
    },
  }
}

function outcomeOf(failure: Error | null): 'done' | 'stopped' {
  if (failure === null) return 'done'
  if (failure.message.includes('terminated')) return 'stopped'
  throw failure
}

let session: Session | null = null

/** A session of the thread with itself: no port is opened, and no debugger switched on. */
function inspectorSession(): Session | null {
  const inspector = process.features.inspector ? process.getBuiltinModule('node:inspector') : undefined
  if (inspector === undefined) return null
  if (session === null) {
    session = new inspector.Session()
    session.connect()
  }
  return session
}
