import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { deleteRoute, deployText, listRoutes, readRouteText } from '../api/routes.ts'
import { renamedText } from '../model/renamed-text.ts'
import { idProblem } from '../model/route-id.ts'
import type { Served } from '../model/served-text.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { RouteIdField } from '../ui/route-id-field.tsx'

const RENAMED = 'Deployed under this ID, then the old one is deleted.'
const CHANGED =
  'The route was changed at the gateway since this text was made from it, and is not renamed. Close this, compare both, and rename it then.'

/** Asks for another ID: of a copy of the route, or of the route itself. */
export function RenameRoute({
  kind,
  router,
  id,
  text,
  base,
  onClose,
  onDuplicate,
  onRenamed,
}: {
  kind: 'duplicate' | 'rename'
  router: string
  id: string
  text: string
  /** What the text was made from; null for a route that was never deployed. */
  base: Served
  onClose: () => void
  onDuplicate: (id: string, text: string) => void
  onRenamed: (id: string, draft: string | null) => void
}) {
  const queries = useQueryClient()
  const routes = useQuery({ queryKey: ['routes', router], queryFn: () => listRoutes(router) })
  const [next, setNext] = useState(kind === 'duplicate' ? `${id}-copy` : id)
  const problem = idProblem(
    next,
    (routes.data ?? []).map(({ _id }) => _id),
  )
  const rename = useMutation({
    mutationFn: async ({ _sourceRev }: NonNullable<Served>) => {
      const served = await readRouteText(router, id)
      if (served._sourceRev !== _sourceRev) throw new Error(CHANGED)
      await deployText(router, next, renamedText(text, id, next), null, served.isCrlf)
      await deleteRoute(router, id, _sourceRev).catch((error: Error) => {
        throw new Error(`"${next}" is deployed, but "${id}" is not deleted, and both are served: ${error.message}.`)
      })
    },
    onSuccess: async () => {
      await queries.invalidateQueries()
      onRenamed(next, null)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (problem !== null) return
    if (kind === 'duplicate') onDuplicate(next, renamedText(text, id, next))
    else if (base === null) onRenamed(next, renamedText(text, id, next))
    else rename.mutate(base)
  }
  const action = kind === 'duplicate' ? 'Duplicate' : 'Rename'
  return (
    <Dialog title={`${action} "${id}"`} onClose={onClose}>
      {rename.isError && <Failure error={rename.error} />}
      <form onSubmit={submit}>
        <RouteIdField
          value={next}
          problem={problem}
          hint={problem ?? (kind === 'duplicate' ? 'A new draft.' : base === null ? 'Of this draft.' : RENAMED)}
          onChange={setNext}
        />
        <div className="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={problem !== null || rename.isPending}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
