/**
 * Removes the constructors that compile text from the prototypes of the gateway's functions, once per thread.
 *
 * Defence in depth. V8 creates the error of a stack overflow in the realm of the called function, and Node formats `error.stack`
 * by a function of the gateway's realm: a script that reads a stack at an exact depth of recursion can catch such an error. With
 * this, `error.constructor.constructor('...')` throws there too. `Function` itself is not changed: modules in `extra/` may
 * compile code.
 */
export function disableHostConstructors(): void {
  if (tamed) return
  tamed = true
  for (const sample of [() => {}, async () => {}, function* () {}, async function* () {}]) {
    const prototype = Object.getPrototypeOf(sample) as { constructor: { name: string } }
    Object.defineProperty(prototype, 'constructor', {
      value: disabledConstructor(prototype.constructor.name, prototype),
    })
  }
}

let tamed = false

/** Has the name, the prototype and the text of the original, by which libraries distinguish functions from asynchronous ones. */
function disabledConstructor(name: string, prototype: object): unknown {
  function disabled(): never {
    throw new EvalError('compiling code from text by a function constructor is not allowed')
  }
  Object.defineProperty(disabled, 'name', { value: name })
  Object.defineProperty(disabled, 'prototype', { value: prototype, writable: false })
  Object.defineProperty(disabled, 'toString', { value: () => `function ${name}() { [native code] }` })
  return disabled
}
