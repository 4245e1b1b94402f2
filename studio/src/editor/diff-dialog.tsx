import { Dialog } from '../ui/dialog.tsx'
import { RouteDiff } from '../ui/route-diff.tsx'

/** The draft against what is served. */
export function DiffDialog({ before, after, onClose }: { before: string; after: string; onClose: () => void }) {
  return (
    <Dialog title="Diff" isWide onClose={onClose}>
      {before === after ? (
        <p className="empty">The draft is the text that is served.</p>
      ) : (
        <RouteDiff before={before} after={after} names={['served', 'draft']} />
      )}
    </Dialog>
  )
}
