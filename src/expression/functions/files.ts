import { readFileSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { EvaluationError } from '../errors.ts'
import { recordFile } from '../recorded-files.ts'
import { maxStringLength } from '../values.ts'
import { text } from './arguments.ts'
import { define, type FunctionDefinition } from './definition.ts'
import { parseProperties } from './properties.ts'

/** Functions on file names and files. */
export const fileFunctions: readonly FunctionDefinition[] = [
  define('fileToUrl', 'path', ([path]) => fileUrl('fileToUrl()', path)),
  define('pathToUrl', 'path', ([path]) => fileUrl('pathToUrl()', path)),
  define('read', 'path', ([path]) => content('read()', path)?.toString('utf8') ?? null),
  define('readWithCharset', 'path, charset', ([path, charset]) => {
    const name = text('readWithCharset()', charset)
    if (name === null) throw new EvaluationError('readWithCharset() expected a charset, found null')
    const bytes = content('readWithCharset()', path)
    return bytes === null ? null : decoded(bytes, name)
  }),
  define('readProperties', 'path', ([path]) => {
    const bytes = content('readProperties()', path)
    return bytes === null ? null : parseProperties(bytes.toString('utf8'))
  }),
]

function fileUrl(of: string, path: unknown): string | null {
  const name = text(of, path)
  return name === null ? null : pathToFileURL(name).href
}

/** Reads a regular file of limited size; null where that fails. */
function content(of: string, path: unknown): Buffer | null {
  const name = text(of, path)
  if (name === null) return null
  recordFile(name)
  try {
    const about = statSync(name)
    // A FIFO or device could block, or never end.
    if (!about.isFile() || about.size > maxStringLength) return null
    return readFileSync(name)
  } catch {
    return null
  }
}

function decoded(bytes: Buffer, charset: string): string {
  // The label means windows-1252 to TextDecoder.
  if (/^(?:iso-?8859-?1|latin-?1|us-ascii)$/i.test(charset)) return bytes.toString('latin1')
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    throw new EvaluationError(`readWithCharset() does not know the charset ${JSON.stringify(charset.slice(0, 40))}`)
  }
}
