import { checkLength, checkText, spend } from '../meter.ts'

/** Builds a string from parts and checks its length as it grows. */
export class TextParts {
  readonly #parts: string[] = []
  #length = 0

  add(part: string): void {
    this.#length += part.length
    checkLength(this.#length)
    spend(part.length)
    this.#parts.push(part)
  }

  text(): string {
    checkText(this.#length)
    return this.#parts.join('')
  }
}
