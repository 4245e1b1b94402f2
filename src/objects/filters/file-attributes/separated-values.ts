/** Characters of a file that are parsed before other work of the thread gets its turn. */
const SLICE = 256 * 1024

const QUOTE = '"'

/** A file of records whose fields are separated by one character; quoted as in RFC 4180. */
export class SeparatedValues {
  readonly #separator: string
  readonly records: string[][] = []
  #record: string[] = []
  #field = ''
  #state: 'start' | 'plain' | 'quoted' | 'quote' = 'start'
  #line = 1
  #quotedSince = 1

  constructor(separator: string) {
    this.#separator = separator
  }

  /** Parses a text in slices. Throws a SyntaxError with the line where a quoted field has no end. */
  static async parse(text: string, separator: string): Promise<readonly (readonly string[])[]> {
    const values = new SeparatedValues(separator)
    for (let at = 0; at < text.length; at += SLICE) {
      if (at > 0) await new Promise((resolve) => setImmediate(resolve))
      values.#add(text.slice(at, at + SLICE))
    }
    return values.#end()
  }

  #add(text: string): void {
    for (const character of text) {
      if (character === '\n') this.#line++
      if (this.#state === 'quoted') {
        if (character === QUOTE) this.#state = 'quote'
        else this.#field += character
      } else if (character === this.#separator) this.#endField()
      else if (character === '\n') this.#endRecord()
      else if (character === QUOTE && this.#state === 'start') {
        this.#state = 'quoted'
        this.#quotedSince = this.#line
      } else if (character === QUOTE && this.#state === 'quote') {
        this.#field += QUOTE
        this.#state = 'quoted'
      } else {
        this.#field += character
        this.#state = 'plain'
      }
    }
  }

  #endField(): void {
    this.#record.push(this.#field)
    this.#field = ''
    this.#state = 'start'
  }

  /** Empty lines are no records. */
  #endRecord(): void {
    if (this.#state !== 'quote' && this.#field.endsWith('\r')) this.#field = this.#field.slice(0, -1)
    const isEmpty = this.#record.length === 0 && this.#field === '' && this.#state !== 'quote'
    this.#endField()
    if (!isEmpty) this.records.push(this.#record)
    this.#record = []
  }

  #end(): string[][] {
    if (this.#state === 'quoted') {
      throw new SyntaxError(`the quoted field that begins in line ${this.#quotedSince} has no end`)
    }
    if (this.#record.length > 0 || this.#field !== '' || this.#state === 'quote') this.#endRecord()
    return this.records
  }
}
