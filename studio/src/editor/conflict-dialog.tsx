import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../api/client.ts'
import { type RouteText, readRouteText } from '../api/routes.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { RouteDiff } from '../ui/route-diff.tsx'

/** The route was changed by another person: both changes against the text they began with, and the choice. */
export function ConflictDialog({
  base,
  mine,
  router,
  id,
  error,
  onClose,
  onOverwrite,
  onUseTheirs,
}: {
  /** The text that the draft was made from; null where it was made from none. */
  base: string | null
  mine: string
  router: string
  id: string
  /** Why the overwriting had no success. */
  error: Error | null
  onClose: () => void
  onOverwrite: () => void
  onUseTheirs: (theirs: RouteText | null) => void
}) {
  const theirs = useQuery({
    queryKey: ['theirs', router, id],
    queryFn: async () => {
      try {
        return await readRouteText(router, id)
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }
    },
    gcTime: 0,
  })
  return (
    <Dialog title="Conflict" isWide onClose={onClose}>
      {theirs.isError && <Failure error={theirs.error} retry={() => void theirs.refetch()} />}
      {theirs.isSuccess && (
        <>
          <p>{reasonOf(base, theirs.data)} Nothing is lost: choose one, or close and edit on.</p>
          {error !== null && <Failure error={error} />}
          <h3>Their change</h3>
          <RouteDiff before={base ?? ''} after={theirs.data?._source ?? ''} names={['before', 'theirs']} />
          <h3>Your change</h3>
          <RouteDiff before={theirs.data?._source ?? ''} after={mine} names={['theirs', 'yours']} />
          <div className="actions">
            <button type="button" onClick={() => onUseTheirs(theirs.data)}>
              Use theirs
            </button>
            <button type="button" className="danger" onClick={onOverwrite}>
              Overwrite
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}

function reasonOf(base: string | null, theirs: RouteText | null): string {
  if (theirs === null) return 'The route was deleted at the gateway while you edited it.'
  if (base === null) return 'The gateway has a route with this ID, and this draft was not begun from it.'
  return 'The route was changed at the gateway while you edited it.'
}
