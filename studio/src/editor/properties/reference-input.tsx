import { useQueryClient } from '@tanstack/react-query'
import { fetchType } from '../../api/types.ts'
import { heapObjects, namesOfTypes } from '../../model/heap-objects.ts'
import { newObject } from '../palette/new-object.ts'
import { useFormRoute } from './form-route.ts'
import { type InputProperties, TextInput } from './text-input.tsx'

/** The name of an object, with the fitting ones of the route and those it inherits to choose from, or a new object in its place. */
export function ReferenceInput(properties: InputProperties & { role: string; types: readonly string[] }) {
  const { id, role, types, onChange } = properties
  const { text, inherited } = useFormRoute()
  const client = useQueryClient()
  const create = async (type: string) => {
    const details = await fetchType(client, type)
    onChange(newObject(type, details?.schema, text))
  }
  return (
    <>
      <TextInput {...properties} list={`${id}-names`} />
      <datalist id={`${id}-names`}>
        {namesOfTypes(heapObjects(text, inherited), types).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <select
        aria-label={`New inline ${role}`}
        value=""
        onChange={(event) => event.target.value !== '' && void create(event.target.value)}
      >
        <option value="">New inline object…</option>
        {types.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
    </>
  )
}
