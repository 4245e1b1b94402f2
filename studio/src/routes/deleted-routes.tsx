import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { deletedRoutes, rollBack } from '../api/routes.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'

/** Deleted routes, each of which can be restored. */
export function DeletedRoutes({ routers, onClose }: { routers: readonly string[]; onClose: () => void }) {
  const queries = useQueryClient()
  const deleted = useQuery({
    queryKey: ['deleted', ...routers],
    queryFn: async () => {
      const lists = await Promise.all(routers.map(deletedRoutes))
      return lists.flatMap((list, at) => list.map((route) => ({ ...route, router: routers[at] as string })))
    },
  })
  const restore = useMutation({
    mutationFn: ({ router, id, rev }: { router: string; id: string; rev: string }) => rollBack(router, id, rev),
    onSuccess: () => queries.invalidateQueries(),
  })
  return (
    <Dialog title="Deleted routes" onClose={onClose}>
      {deleted.isError && <Failure error={deleted.error} />}
      {restore.isError && <Failure error={restore.error} />}
      {deleted.data?.length === 0 && <p className="empty">No deleted route is kept.</p>}
      <table aria-label="Deleted routes">
        <tbody>
          {(deleted.data ?? []).map(({ router, _id: id, _rev: rev, replacedAt }) => (
            <tr key={`${router} ${id}`}>
              <td>{id}</td>
              <td className="muted">deleted {new Date(replacedAt).toLocaleString()}</td>
              <td>
                <button type="button" disabled={restore.isPending} onClick={() => restore.mutate({ router, id, rev })}>
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
