import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { deletedRoutes, rollBack } from '../api/routes.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'

/** Deleted routes, each of which can be restored. */
export function DeletedRoutes({ router, onClose }: { router: string; onClose: () => void }) {
  const queries = useQueryClient()
  const deleted = useQuery({ queryKey: ['deleted', router], queryFn: () => deletedRoutes(router) })
  const restore = useMutation({
    mutationFn: ({ id, rev }: { id: string; rev: string }) => rollBack(router, id, rev),
    onSuccess: () => queries.invalidateQueries(),
  })
  return (
    <Dialog title="Deleted routes" onClose={onClose}>
      {deleted.isError && <Failure error={deleted.error} />}
      {restore.isError && <Failure error={restore.error} />}
      {deleted.data?.length === 0 && <p className="empty">No deleted route is kept.</p>}
      <table aria-label="Deleted routes">
        <tbody>
          {(deleted.data ?? []).map(({ _id: id, _rev: rev, replacedAt }) => (
            <tr key={id}>
              <td>{id}</td>
              <td className="muted">deleted {new Date(replacedAt).toLocaleString()}</td>
              <td>
                <button type="button" disabled={restore.isPending} onClick={() => restore.mutate({ id, rev })}>
                  Bring back
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  )
}
