import type { Catalogue } from '#heap'
import { isPlainObject, type JsonDocument, type JsonObject, readDocument } from '#json'
import { ConfigError, type Problem } from '#schema'
import type { Change } from './change.ts'
import { editedText } from './document-edits.ts'
import type { MigratedDocument } from './migrated-document.ts'
import { openDecisions } from './open-decisions.ts'
import { changesOf } from './outdated.ts'

/** Result of the migration of one document. */
interface Migrated {
  readonly document: JsonDocument
  /** Parts that a person has to decide. */
  readonly decisions: readonly Problem[]
}

/** Each pass converts the outermost old spellings: a document that needs more is no configuration. */
const MAX_PASSES = 1_000

/** Converts all old spellings of a text; comments, order and formatting of the rest stay. Throws a JsonSyntaxError, or a ConfigError. */
export async function migratedText(
  text: string,
  catalogue: Catalogue,
  describe: (json: JsonObject) => MigratedDocument,
  substitute: (change: Change) => Change = (change) => change,
): Promise<Migrated> {
  let document = readDocument(text)
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const json = document.value
    if (!isPlainObject(json)) throw new ConfigError([{ pointer: '', message: 'expected a JSON object' }])
    const changes = await catalogue.withTypes(() => [...changesOf(json as JsonObject, describe(json as JsonObject))])
    if (changes.length === 0) break
    document = readDocument(editedText(document, changes.map(substitute)))
  }
  const final = document.value as JsonObject
  const decisions = await catalogue.withTypes(() => openDecisions(final, describe(final)))
  return { document, decisions }
}
