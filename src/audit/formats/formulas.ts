/** Signs with which a formula begins. Spreadsheets of East Asian locales take full-width ones for the same. */
const SIGNS = '=+\\-@\uff1d\uff0b\uff0d\uff20'

/** Characters that separate cells in some locale or program, whatever the delimiter of the file is. */
const SEPARATORS = ',;\t|'

/** A text in JSON, with its quotes. */
const JSON_STRING = /"(?:[^"\\]|\\.)*"/g

/**
 * Keeps spreadsheets from evaluating text (threats B98). A spreadsheet that expects another separator than that of the file does not
 * take the quotes around the rest of a row for quotes, and begins a cell in the middle of a value: so every part of a value that a
 * separator begins is treated as a cell.
 */
export class FormulaProtection {
  readonly #parts: RegExp
  readonly #signs: RegExp

  constructor({ quoteChar, delimiterChar }: { quoteChar: string; delimiterChar: string }) {
    const separators = SEPARATORS + delimiterChar
    const quotes = [...`"'${quoteChar}`].filter((each) => !separators.includes(each)).join('')
    const begin = `(^|[${escaped(separators)}])`
    const skipped = `[\\p{Zs}${escaped(quotes)}]*`
    this.#parts = new RegExp(`^(?=[\\t\\r])|${begin}(?=${skipped}[${SIGNS}])`, 'gu')
    this.#signs = new RegExp(`(${begin}${skipped})([${SIGNS}])`, 'gu')
  }

  /** An apostrophe in front of each part that would be evaluated, and of each that would be after that apostrophe is removed. */
  text(text: string): string {
    return text.replace(this.#parts, "$&'")
  }

  /** JSON stays JSON with the same meaning: signs in its texts are escaped. Its numbers are no formulas. */
  json(json: string): string {
    return json.replace(JSON_STRING, (string) =>
      string.replace(this.#signs, (_match, before: string, _begin, sign: string) => before + unicodeEscape(sign)),
    )
  }
}

/** Characters within the brackets of a regular expression. */
function escaped(characters: string): string {
  return characters.replace(/[\\\]^-]/g, '\\$&')
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
