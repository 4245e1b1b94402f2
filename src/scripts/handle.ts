/**
 * An object of the gateway as code of a realm holds it. It has no members and no prototype with members, so it leads to
 * nothing: neither to the object nor to the built-in objects of the gateway's realm.
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
