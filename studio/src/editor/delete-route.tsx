import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/client.ts'
import { deleteRoute } from '../api/routes.ts'
import { Question } from '../ui/dialog.tsx'

/** Asks before a draft is discarded, or a route is deleted. */
export function DeleteRoute({
  kind,
  router,
  id,
  sourceRev,
  hasDraft,
  onClose,
  onDiscard,
  onDeleted,
}: {
  kind: 'discard' | 'delete'
  router: string
  id: string
  /** Of the text that is served; null for a route that was never deployed. */
  sourceRev: string | null
  hasDraft: boolean
  onClose: () => void
  onDiscard: () => void
  onDeleted: () => void
}) {
  const queries = useQueryClient()
  const removal = useMutation({
    mutationFn: () => deleteRoute(router, id, sourceRev).catch((error: Error) => Promise.reject(reasonOf(error))),
    onSuccess: async () => {
      await queries.invalidateQueries()
      onDeleted()
    },
    onError: () => queries.invalidateQueries({ queryKey: ['text', router, id] }),
  })
  if (kind === 'discard')
    return (
      <Question
        title="Discard the draft?"
        text={
          sourceRev === null
            ? 'The route was never deployed: nothing of it is kept.'
            : 'The text that is served takes its place. History has no copy of a draft.'
        }
        action="Discard"
        isDanger
        onAnswer={(isConfirmed) => (isConfirmed ? onDiscard() : onClose())}
      />
    )
  return (
    <Question
      title={`Delete the route "${id}"?`}
      text={
        'Its requests get the answer of the next route that matches. "Deleted routes" can bring it back' +
        (hasDraft ? ', without the changes of this draft.' : '.')
      }
      error={removal.error}
      action="Delete route"
      isDanger
      onAnswer={(isConfirmed) => (isConfirmed ? removal.mutate() : onClose())}
    />
  )
}

/** A conflict in the words of this page, which reads the route again. */
function reasonOf(error: Error): Error {
  if (!(error instanceof ApiError) || error.status !== 412) return error
  return new Error(
    'The route was changed at the gateway meanwhile, and is not deleted. Delete it again to do so anyway.',
  )
}
