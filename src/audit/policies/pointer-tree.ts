import { parsePointer } from '#json'

/** A set of JSON pointers as a tree. A pointer covers everything below it. */
export class PointerTree {
  /** Whether the whole value is covered. */
  isCovered = false
  readonly #children = new Map<string, PointerTree>()
  readonly #ignoresCase: boolean

  private constructor(ignoresCase: boolean) {
    this.#ignoresCase = ignoresCase
  }

  /** `caseInsensitive` are pointers of objects whose member names are compared without case. */
  static of(pointers: Iterable<string>, caseInsensitive: readonly string[] = []): PointerTree {
    const folded = new Set(caseInsensitive)
    const root = new PointerTree(folded.has(''))
    for (const pointer of pointers) {
      let node = root
      let path = ''
      for (const key of parsePointer(pointer) ?? []) {
        path += `/${key}`
        node = node.#getOrCreate(key, folded.has(path))
      }
      node.isCovered = true
    }
    return root
  }

  get isEmpty(): boolean {
    return !this.isCovered && this.#children.size === 0
  }

  /** The subtree of a member; null where none of its pointers is at or below the member. */
  child(name: string): PointerTree | null {
    return this.#children.get(this.#ignoresCase ? name.toLowerCase() : name) ?? null
  }

  /** The subtree at a path, or the covered parent of it. */
  at(path: readonly string[]): PointerTree | null {
    let node: PointerTree | null = this
    for (const name of path) {
      if (node === null || node.isCovered) return node
      node = node.child(name)
    }
    return node
  }

  /** Names of members with pointers at or below them. */
  names(): readonly string[] {
    return [...this.#children.keys()]
  }

  #getOrCreate(key: string, ignoresCase: boolean): PointerTree {
    const name = this.#ignoresCase ? key.toLowerCase() : key
    let child = this.#children.get(name)
    if (child === undefined) {
      child = new PointerTree(ignoresCase)
      this.#children.set(name, child)
    }
    return child
  }
}
