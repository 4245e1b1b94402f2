import type { Session } from 'node:inspector'
import { constants, createContext, Script } from 'node:vm'

/** Runs code, and stops it when it takes too long. */
export interface Watch {
  /** Says whether the code was stopped. What is stopped does not get to its `finally` blocks. */
  run(): 'done' | 'stopped'
}

/** The longest limit for which time is kept by the inspector: it keeps a note of each run until the limit is over. */
const MAX_NOTED = 5_000

/**
 * A watch over code that does not throw. V8 stops JavaScript only when another thread tells it to. The inspector has such a
 * thread at hand for `Runtime.evaluate`; `vm` starts one for each run and waits for its end, which takes five times
 * as much CPU and, on a busy machine, a wait for the scheduler.
 */
export function watchOver(code: () => void, limit: number): Watch {
  const session = limit <= MAX_NOTED ? inspectorSession() : null
  return session === null ? threadedWatch(code, limit) : inspectorWatch(code, limit, session)
}

/** Keeps time by a thread for each run. For limits that are long, and for a Node that was built without an inspector. */
export function threadedWatch(code: () => void, limit: number): Watch {
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

/** Where `Runtime.evaluate` finds what it is to run; nothing else in the thread knows the name. */
const turn = Symbol.for('gateway.scripts.turn')
// Strict, so that no call site of it gives its `this` away.
const expression = `'use strict';globalThis[Symbol.for('gateway.scripts.turn')]()`

function inspectorWatch(code: () => void, limit: number, session: Session): Watch {
  const parameters = { expression, timeout: limit, silent: true, returnByValue: true }
  return {
    run: () => {
      let failure: Error | null = null
      Reflect.defineProperty(globalThis, turn, { value: code, configurable: true })
      // A session with its own thread answers before `post` returns.
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
