/** The parts of a source map (ECMA-426) that positions need. */
interface SourceMapFile {
  readonly sources: readonly string[]
  readonly mappings: string
}

/** A position in a source file; lines and columns count from 1. */
interface SourcePosition {
  readonly source: string
  readonly line: number
  readonly column: number
}

/** Numbers of one indexed line: where its segments start, and the source, line and column before them. */
const LINE_FIELDS = 4
const DIGITS = new Uint8Array(128)
for (const [value, digit] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  DIGITS[digit.charCodeAt(0)] = value
}

/**
 * Finds source positions of generated ones. Segments are decoded when their line is looked up: a decoded map of a bundle
 * would take tens of megabytes.
 */
export class SourceMap {
  readonly #sources: readonly string[]
  readonly #mappings: string
  readonly #lines: Int32Array
  #at = 0
  readonly #state = { source: 0, line: 0, column: 0 }

  constructor({ sources, mappings }: SourceMapFile) {
    this.#sources = sources
    this.#mappings = mappings
    this.#lines = this.#index()
  }

  /** The position of the last segment at or before a generated position; null without one. */
  find(line: number, column: number): SourcePosition | null {
    const index = (line - 1) * LINE_FIELDS
    if (index < 0 || index >= this.#lines.length) return null
    this.#at = this.#lines[index] as number
    this.#state.source = this.#lines[index + 1] as number
    this.#state.line = this.#lines[index + 2] as number
    this.#state.column = this.#lines[index + 3] as number
    let found: SourcePosition | null = null
    for (let generated = 0; this.#isInLine(); ) {
      generated += this.#number()
      if (generated > column - 1) break
      found = this.#segment() ? this.#position() : null
    }
    return found
  }

  #position(): SourcePosition | null {
    const { source, line, column } = this.#state
    const name = this.#sources[source]
    return name === undefined ? null : { source: name, line: line + 1, column: column + 1 }
  }

  #index(): Int32Array {
    const starts: number[] = []
    for (let at = 0; at <= this.#mappings.length; at = this.#at + 1) {
      this.#at = at
      starts.push(at, this.#state.source, this.#state.line, this.#state.column)
      while (this.#isInLine()) {
        this.#number()
        this.#segment()
      }
    }
    return Int32Array.from(starts)
  }

  /** Skips the separator of segments; false at the end of the line. */
  #isInLine(): boolean {
    if (this.#mappings[this.#at] === ',') this.#at++
    return this.#at < this.#mappings.length && this.#mappings[this.#at] !== ';'
  }

  /** Reads a segment after its generated column; false where it has no source. */
  #segment(): boolean {
    if (this.#isSegmentEnd()) return false
    this.#state.source += this.#number()
    this.#state.line += this.#number()
    this.#state.column += this.#number()
    // The index of a name.
    if (!this.#isSegmentEnd()) this.#number()
    return true
  }

  #isSegmentEnd(): boolean {
    const next = this.#mappings[this.#at]
    return next === undefined || next === ',' || next === ';'
  }

  /** Reads a base64 variable-length quantity, the sign in its lowest bit. */
  #number(): number {
    let value = 0
    for (let shift = 0; this.#at < this.#mappings.length; shift += 5) {
      const digit = DIGITS[this.#mappings.charCodeAt(this.#at++) & 127] as number
      value |= (digit & 31) << shift
      if ((digit & 32) === 0) break
    }
    return (value & 1) === 0 ? value >>> 1 : -(value >>> 1)
  }
}
