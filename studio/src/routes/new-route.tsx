import { type FormEvent, useState } from 'react'
import { DEFAULT_ROUTER } from '../api/routes.ts'
import { idProblem } from '../model/route-id.ts'
import { Dialog } from '../ui/dialog.tsx'
import { RouteIdField } from '../ui/route-id-field.tsx'
import type { RouteRow } from './route-rows.ts'
import { TEMPLATES, textOfTemplate } from './templates.ts'

/** Asks for the ID and the template of a new route. */
export function NewRoute({
  routers,
  rows,
  onCreate,
  onClose,
}: {
  routers: readonly string[]
  rows: readonly RouteRow[]
  onCreate: (router: string, id: string, text: string) => void
  onClose: () => void
}) {
  const [id, setId] = useState('')
  const [chosen, setChosen] = useState(0)
  const [router, setRouter] = useState(routers[0] ?? DEFAULT_ROUTER)
  const taken = rows.filter((row) => row.router === router).map((row) => row.id)
  const problem = idProblem(id, taken)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const template = TEMPLATES[chosen]
    if (problem === null && template !== undefined) onCreate(router, id, textOfTemplate(template, id))
  }
  return (
    <Dialog title="New route" onClose={onClose}>
      <form onSubmit={submit}>
        <RouteIdField
          value={id}
          problem={problem}
          hint={id === '' ? 'Also the name of its file.' : (problem ?? `It will be stored as ${id}.json.`)}
          onChange={setId}
        />
        {routers.length > 1 && (
          <label>
            Router
            <select value={router} onChange={(event) => setRouter(event.target.value)}>
              {routers.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
        <fieldset className="templates">
          <legend>Template</legend>
          {TEMPLATES.map(({ name, description }, index) => (
            <label key={name}>
              <input type="radio" name="template" checked={index === chosen} onChange={() => setChosen(index)} />
              <span>
                {name} <span className="muted">{description}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <div className="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={problem !== null}>
            Create
          </button>
        </div>
      </form>
    </Dialog>
  )
}
