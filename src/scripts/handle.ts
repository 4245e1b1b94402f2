/**
 * Opaque reference of code in a realm to an object of the gateway. It has no members and no prototype with members, so that
 * neither the object nor the built-in objects of the gateway's realm can be reached from it.
 */
export class Handle {
  readonly #object: object

  constructor(object: object) {
    this.#object = object
    Object.freeze(this)
  }

  static has(value: object): value is Handle {
    return #object in value
  }

  static open(handle: Handle): object {
    return handle.#object
  }
}

Reflect.deleteProperty(Handle.prototype, 'constructor')
Object.setPrototypeOf(Handle.prototype, null)
Object.freeze(Handle.prototype)
