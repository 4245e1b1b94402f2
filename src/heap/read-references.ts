import { type Field, fieldValuesIn, type Reference, referencesIn } from '#schema'

/**
 * The references in JSON that can not be decoded as a whole, each as its own field reads it: event handlers of audit services have
 * `class` where other objects have `type`. Those that can not be read are left out; their problems are known.
 */
export function* readReferences(field: Field, json: unknown, pointer: string): Generator<readonly [Reference, string]> {
  for (const found of fieldValuesIn(field, json, pointer)) {
    if (found.field.info.shape.kinds === undefined) continue
    yield* referencesIn(
      found.field.decode(found.json, () => {}),
      found.pointer,
    )
  }
}
