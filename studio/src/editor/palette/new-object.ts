import type { Schema } from '../../api/types.ts'
import { freeName } from '../../model/free-name.ts'
import { shapeOf } from '../properties/field-shape.ts'

/** A new object of a type with its required fields; where the kind goes to the heap, with a name. */
export function newObject(type: string, schema: Schema | undefined, text: string): object {
  const config: Record<string, unknown> = {}
  const fields = schema?.properties?.['config']
  for (const name of fields?.required ?? []) {
    const field = fields?.properties?.[name]
    if (field !== undefined && schema !== undefined) config[name] = startValue(field, schema)
  }
  return { name: freeName(type, text), type, config }
}

function startValue(field: Schema, schema: Schema): unknown {
  const shape = shapeOf(field, schema)
  switch (shape.kind) {
    case 'boolean':
      return false
    case 'number':
      return 0
    case 'choice':
      return shape.values[0] ?? ''
    case 'list':
      return []
    case 'map':
    case 'object':
      return {}
    case 'reference':
      return shape.role === 'Handler' ? { type: 'StaticResponseHandler', config: { status: 404 } } : ''
    default:
      return ''
  }
}
