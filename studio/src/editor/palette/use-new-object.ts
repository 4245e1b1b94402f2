import { useQueryClient } from '@tanstack/react-query'
import { TYPES_QUERY, typeQuery } from '../../api/types.ts'
import { newObject } from './new-object.ts'

/** Makes a new object of a type of the gateway, with the kind of the type, and what types say about their order in chains. */
export function useNewObject() {
  const queries = useQueryClient()
  return async (type: string, text: string) => {
    const types = await queries.fetchQuery(TYPES_QUERY)
    // Without the schema the object has no fields; problems then name those that it needs.
    const details = await queries.fetchQuery(typeQuery(type)).catch(() => undefined)
    const kind = types.find(({ _id }) => _id === type)?.kind ?? null
    return { kind, value: newObject(type, details?.schema, text), roles: types }
  }
}
