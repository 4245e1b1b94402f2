import { cryptoFunctions } from './crypto.ts'
import type { FunctionDefinition } from './definition.ts'
import { encodingFunctions } from './encoding.ts'
import { fileFunctions } from './files.ts'
import { networkFunctions } from './network.ts'
import { regexFunctions } from './regex.ts'
import { textFunctions } from './text.ts'

/** Every function of the language by its name. */
export const functions: ReadonlyMap<string, FunctionDefinition> = new Map(
  [
    ...textFunctions,
    ...regexFunctions,
    ...encodingFunctions,
    ...cryptoFunctions,
    ...fileFunctions,
    ...networkFunctions,
  ].map((definition) => [definition.name, definition]),
)

/** The function with the most similar name; null where none is similar. */
export function similarFunction(name: string): string | null {
  let best: string | null = null
  let least = Math.min(4, Math.ceil(name.length / 3) + 1)
  for (const candidate of functions.keys()) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < least) {
      best = candidate
      least = distance
    }
  }
  return best
}

function editDistance(left: string, right: string): number {
  if (left.length > 64) return left.length
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= right.length; j += 1) {
      const substitution = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, substitution))
    }
    row = next
  }
  return row[right.length]!
}
