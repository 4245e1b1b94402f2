// Promises of Groovy scripts. A callback of a settled promise runs at once, others when the promise settles.
import {
  after,
  afterEither,
  type ClassInfo,
  callFunctional,
  currentEvaluation,
  exceptions,
  GroovyObject,
  ListValue,
  type Maybe,
  PENDING,
  suspend,
  ThrowableValue,
  throwable,
  type Value,
} from '@identity-gateway/groovy'
import { awaited, extendWithHost, gatewayClass, gatewayInterface, thrownFor } from './host-class.ts'

const PromiseClass = gatewayInterface('util.promise.Promise', null)
const PromisesClass = gatewayClass('util.promise.Promises')

type Outcome = { readonly value: Value } | { readonly error: unknown }

export class PromiseValue extends GroovyObject {
  readonly source: Promise<Value>
  outcome: Outcome | null = null

  constructor(source: Promise<Value>, outcome: Outcome | null = null) {
    super()
    this.source = source
    this.outcome = outcome
    source.then(
      (value) => {
        this.outcome = { value }
      },
      (error: unknown) => {
        this.outcome = { error }
      },
    )
  }

  static of(value: Value): PromiseValue {
    return new PromiseValue(Promise.resolve(value), { value })
  }

  static failed(error: unknown): PromiseValue {
    return new PromiseValue(Promise.reject(error), { error })
  }

  get klass(): ClassInfo {
    return PromiseClass
  }
}

/** Suspends the script until the promise settles. */
function waitFor(promise: PromiseValue): Maybe {
  const { outcome } = promise
  if (outcome === null) return suspend(awaited(promise.source))
  if ('error' in outcome) throw thrownFor(outcome.error)
  return outcome.value
}

/** A callback of a script: maps an outcome, or throws. */
type Step = (outcome: Outcome) => Maybe

/** The promise of the result of a step. */
function derive(self: PromiseValue, step: Step): Maybe {
  if (self.outcome !== null) return deriveNow(self.outcome, step)
  const evaluation = currentEvaluation()
  const run = (outcome: Outcome): Value | Promise<Value> => evaluation.run(() => flattened(step(outcome)))
  return new PromiseValue(
    self.source.then(
      (value) => run({ value }),
      (error: unknown) => run({ error: thrownFor(error) }),
    ),
  )
}

/** As in Java, the callback of a settled promise runs synchronously: if the callback suspends, the caller does too. */
function deriveNow(outcome: Outcome, step: Step): Maybe {
  const seen = 'error' in outcome ? { error: thrownFor(outcome.error) } : outcome
  const made = (value: Value): Value => (value instanceof Flat ? value.promise : PromiseValue.of(value))
  const failed = (error: unknown): Value => {
    if (error instanceof ThrowableValue) return PromiseValue.failed(error)
    throw error
  }
  try {
    const value = step(seen)
    return value === PENDING ? afterEither(made, failed) : made(value)
  } catch (error) {
    return failed(error)
  }
}

/** The promise that an asynchronous callback returned, whose outcome becomes that of the derived promise. */
class Flat extends GroovyObject {
  readonly promise: PromiseValue

  constructor(promise: PromiseValue) {
    super()
    this.promise = promise
  }

  get klass(): ClassInfo {
    return PromiseClass
  }
}

function flattened(value: Maybe): Maybe {
  if (value === PENDING) return after(flattened)
  return value instanceof Flat ? waitFor(value.promise) : value
}

function rethrow({ error }: { readonly error: unknown }): never {
  throw error
}

function called(callback: Value, argument: Value, isAsync: boolean): Maybe {
  const check = (value: Value): Value => {
    if (!isAsync) return value
    if (value instanceof PromiseValue) return new Flat(value)
    throw throwable(
      value === null ? exceptions.NullPointerException : exceptions.ClassCastException,
      'expected the function to return a promise, such as Promises.newResultPromise(value)',
    )
  }
  const value = callFunctional(callback, [argument])
  return value === PENDING ? after(check) : check(value)
}

const isRuntime = (error: unknown): error is ThrowableValue =>
  error instanceof ThrowableValue && error.klass.isSubclassOf(exceptions.RuntimeException)

/** `then` and `thenAsync`: up to three functions, for a result, an exception and a runtime exception. */
function transformed(self: PromiseValue, functions: readonly (Value | undefined)[], isAsync: boolean): Maybe {
  const [onResult = null, onException = null, onRuntime = null] = functions
  return derive(self, (outcome) => {
    if ('value' in outcome) {
      return onResult === null ? outcome.value : called(onResult, outcome.value, isAsync)
    }
    const { error } = outcome
    if (!(error instanceof ThrowableValue)) throw error
    const callback = functions.length === 3 && isRuntime(error) ? onRuntime : onException
    return callback === null ? rethrow(outcome) : called(callback, error, isAsync)
  })
}

/** A callback without result: the outcome is passed through. */
function observed(self: PromiseValue, call: (outcome: Outcome) => Maybe): Maybe {
  return derive(self, (outcome) => {
    const pass = (): Value => ('error' in outcome ? rethrow(outcome) : outcome.value)
    const done = call(outcome)
    return done === PENDING ? after(pass) : pass()
  })
}

const onResult =
  (callback: Value) =>
  (outcome: Outcome): Maybe =>
    'value' in outcome ? callFunctional(callback, [outcome.value]) : null

const onException =
  (callback: Value, matches: (error: unknown) => error is ThrowableValue) =>
  (outcome: Outcome): Maybe =>
    'error' in outcome && matches(outcome.error) ? callFunctional(callback, [outcome.error]) : null

const isThrowable = (error: unknown): error is ThrowableValue => error instanceof ThrowableValue

extendWithHost(PromiseClass, {
  'get(): Object': waitFor,
  'get(long timeout, Object unit): Object': waitFor,
  'getOrThrow(): Object': waitFor,
  'getOrThrow(long timeout, Object unit): Object': waitFor,
  'getOrThrowIfInterrupted(): Object': waitFor,
  'getOrThrowUninterruptibly(): Object': waitFor,
  'getOrThrowUninterruptibly(long timeout, Object unit): Object': waitFor,
  'isDone(): boolean': (self: PromiseValue) => self.outcome !== null,
  'isCancelled(): boolean': () => false,
  'cancel(boolean interrupt): boolean': () => false,
  'then(Object onResult): Promise': (self: PromiseValue, a: Value) => transformed(self, [a], false),
  'then(Object onResult, Object onException): Promise': (self: PromiseValue, a: Value, b: Value) =>
    transformed(self, [a, b], false),
  'then(Object onResult, Object onException, Object onRuntimeException): Promise': (
    self: PromiseValue,
    a: Value,
    b: Value,
    c: Value,
  ) => transformed(self, [a, b, c], false),
  'thenAsync(Object onResult): Promise': (self: PromiseValue, a: Value) => transformed(self, [a], true),
  'thenAsync(Object onResult, Object onException): Promise': (self: PromiseValue, a: Value, b: Value) =>
    transformed(self, [a, b], true),
  'thenAsync(Object onResult, Object onException, Object onRuntimeException): Promise': (
    self: PromiseValue,
    a: Value,
    b: Value,
    c: Value,
  ) => transformed(self, [a, b, c], true),
  'thenCatch(Object onException): Promise': (self: PromiseValue, a: Value) => transformed(self, [null, a], false),
  'thenCatchAsync(Object onException): Promise': (self: PromiseValue, a: Value) => transformed(self, [null, a], true),
  'thenCatchRuntimeException(Object onException): Promise': (self: PromiseValue, a: Value) =>
    transformed(self, [null, null, a], false),
  'thenCatchRuntimeExceptionAsync(Object onException): Promise': (self: PromiseValue, a: Value) =>
    transformed(self, [null, null, a], true),
  'thenOnResult(Object callback): Promise': (self: PromiseValue, a: Value) => observed(self, onResult(a)),
  'thenOnException(Object callback): Promise': (self: PromiseValue, a: Value) =>
    observed(self, onException(a, isThrowable)),
  'thenOnRuntimeException(Object callback): Promise': (self: PromiseValue, a: Value) =>
    observed(self, onException(a, isRuntime)),
  'thenOnResultOrException(Object onResult, Object onException): Promise': (self: PromiseValue, a: Value, b: Value) =>
    observed(self, (outcome) => ('value' in outcome ? onResult(a)(outcome) : onException(b, isThrowable)(outcome))),
  'thenOnResultOrException(Object callback): Promise': (self: PromiseValue, a: Value) =>
    observed(self, () => callFunctional(a, [])),
  'thenAlways(Object callback): Promise': (self: PromiseValue, a: Value) => observed(self, () => callFunctional(a, [])),
  'thenFinally(Object callback): Promise': (self: PromiseValue, a: Value) =>
    observed(self, () => callFunctional(a, [])),
  'thenDiscardResult(): Promise': (self: PromiseValue) =>
    derive(self, (outcome) => ('error' in outcome ? rethrow(outcome) : null)),
})

/** The promise of all results, or of the first failure. */
function allOf(promises: readonly Value[]): Value {
  const all = promises as readonly PromiseValue[]
  return new PromiseValue(Promise.all(all.map((each) => each.source)).then((values) => new ListValue(values)))
}

extendWithHost(PromisesClass, {
  'static newResultPromise(Object value): Promise': (value: Value) => PromiseValue.of(value),
  'static newExceptionPromise(Throwable error): Promise': (error: ThrowableValue) => PromiseValue.failed(error),
  'static newRuntimeExceptionPromise(Throwable error): Promise': (error: ThrowableValue) => PromiseValue.failed(error),
  'static newPromise(Object callable): Promise': (callable: Value) =>
    deriveNow({ value: null }, () => callFunctional(callable, [])),
  'static when(Collection promises): Promise': (promises: ListValue) => allOf(promises.items),
  'static when(Promise... promises): Promise': (promises: Value[]) => allOf(promises),
})
