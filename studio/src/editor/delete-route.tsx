import { useMutation, useQueryClient } from '@tanstack/react-query'
import { deleteRoute } from '../api/routes.ts'
import { Question } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'

/** Asks before a draft is discarded, or a route is deleted. */
export function DeleteRoute({
  kind,
  router,
  id,
  sourceRev,
  onClose,
  onDiscard,
  onDeleted,
}: {
  kind: 'discard' | 'delete'
  router: string
  id: string
  sourceRev: string | null
  onClose: () => void
  onDiscard: () => void
  onDeleted: () => void
}) {
  const queries = useQueryClient()
  const removal = useMutation({
    mutationFn: () => deleteRoute(router, id, sourceRev),
    onSuccess: async () => {
      await queries.invalidateQueries()
      onDeleted()
    },
  })
  if (removal.isError) return <Failure error={removal.error} retry={() => removal.mutate()} />
  if (kind === 'discard')
    return (
      <Question
        title="Discard the draft?"
        text="The text that is served takes its place. History has no copy of a draft."
        action="Discard"
        isDanger
        onAnswer={(isConfirmed) => (isConfirmed ? onDiscard() : onClose())}
      />
    )
  return (
    <Question
      title={`Delete the route "${id}"?`}
      text={'Its requests get the answer of the next route that matches. "Deleted routes" can bring it back.'}
      action="Delete route"
      isDanger
      onAnswer={(isConfirmed) => (isConfirmed ? removal.mutate() : onClose())}
    />
  )
}
