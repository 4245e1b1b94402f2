import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { deleteRoute, deployText, listRoutes, readRouteText } from '../api/routes.ts'
import { renamedText } from '../model/renamed-text.ts'
import { idProblem } from '../model/route-id.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { RouteIdField } from '../ui/route-id-field.tsx'

/** Asks for another ID: of a copy of the route, or of the route itself. */
export function RenameRoute({
  kind,
  router,
  id,
  text,
  onClose,
  onDuplicate,
  onRenamed,
}: {
  kind: 'duplicate' | 'rename'
  router: string
  id: string
  text: string
  onClose: () => void
  onDuplicate: (id: string, text: string) => void
  onRenamed: (id: string) => void
}) {
  const queries = useQueryClient()
  const routes = useQuery({ queryKey: ['routes', router], queryFn: () => listRoutes(router) })
  const [next, setNext] = useState(kind === 'duplicate' ? `${id}-copy` : id)
  const problem = idProblem(
    next,
    (routes.data ?? []).map(({ _id }) => _id),
  )
  const rename = useMutation({
    mutationFn: async () => {
      const served = await readRouteText(router, id)
      await deployText(router, next, renamedText(text, id, next), null)
      await deleteRoute(router, id, served._sourceRev)
    },
    onSuccess: async () => {
      await queries.invalidateQueries()
      onRenamed(next)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (problem !== null) return
    if (kind === 'duplicate') onDuplicate(next, renamedText(text, id, next))
    else rename.mutate()
  }
  const action = kind === 'duplicate' ? 'Duplicate' : 'Rename'
  return (
    <Dialog title={`${action} "${id}"`} onClose={onClose}>
      {rename.isError && <Failure error={rename.error} />}
      <form onSubmit={submit}>
        <RouteIdField
          value={next}
          problem={problem}
          hint={
            problem ?? (kind === 'rename' ? 'Deployed under this ID, then the old one is deleted.' : 'A new draft.')
          }
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
