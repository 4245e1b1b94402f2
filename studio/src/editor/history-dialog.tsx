import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { rollBack, routeHistory, routeVersion } from '../api/routes.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { RouteDiff } from '../ui/route-diff.tsx'
import { ChangeList } from './change-list.tsx'

/** Earlier versions of a route with who replaced them, each compared with what is served. */
export function HistoryDialog({
  router,
  id,
  current,
  onClose,
  onRolledBack,
}: {
  router: string
  id: string
  current: string
  onClose: () => void
  onRolledBack: () => void
}) {
  const queries = useQueryClient()
  const [shown, setShown] = useState<string | null>(null)
  const versions = useQuery({ queryKey: ['history', router, id], queryFn: () => routeHistory(router, id) })
  const version = useQuery({
    queryKey: ['version', router, id, shown],
    queryFn: () => routeVersion(router, id, shown as string),
    enabled: shown !== null,
  })
  const back = useMutation({
    mutationFn: (rev: string) => rollBack(router, id, rev),
    onSuccess: async () => {
      await queries.invalidateQueries()
      onRolledBack()
      onClose()
    },
  })
  const failure = versions.error ?? version.error ?? back.error
  return (
    <Dialog title="History" isWide onClose={onClose}>
      {failure !== null && <Failure error={failure} />}
      {versions.data?.length === 0 && <p className="empty">The route was not changed since it was created.</p>}
      <table aria-label="Versions">
        <tbody>
          {(versions.data ?? []).map(({ _rev: rev, replacedAt, replacedBy }) => (
            <tr key={`${rev} ${replacedAt}`}>
              <td>
                replaced {new Date(replacedAt).toLocaleString()}
                {replacedBy.user != null && ` by ${replacedBy.user}`}
                {replacedBy.operation != null && ` (${replacedBy.operation})`}
              </td>
              <td>
                <button
                  type="button"
                  aria-expanded={shown === rev}
                  onClick={() => setShown(shown === rev ? null : rev)}
                >
                  Compare
                </button>
              </td>
              <td>
                <button type="button" disabled={back.isPending} onClick={() => back.mutate(rev)}>
                  Roll back
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown !== null && version.data?._source !== undefined && (
        <RouteDiff before={version.data._source} after={current} names={['this version', 'served']} />
      )}
      <h3>Who changed what</h3>
      <ChangeList router={router} id={id} />
    </Dialog>
  )
}
