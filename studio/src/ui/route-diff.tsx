import { type StructureChange, structureDiff } from '../model/structure-diff.ts'
import { TextDiff } from './text-diff.tsx'

/** Longer values are shown by their beginning; the text beside has all of it. */
const SHOWN = 80
/** Changes beyond are only counted. */
const LISTED = 500

/** Differences of two routes: as objects and fields, and beside them as texts. */
export function RouteDiff(texts: { before: string; after: string; names: readonly [before: string, after: string] }) {
  return (
    <div className="route-diff">
      <section aria-label="Structure">
        <h3>Structure</h3>
        <StructureChanges changes={structureDiff(texts.before, texts.after)} />
      </section>
      <section aria-label="Text">
        <h3>Text</h3>
        <TextDiff {...texts} />
      </section>
    </div>
  )
}

function StructureChanges({ changes }: { changes: readonly StructureChange[] | null }) {
  if (changes === null) return <p className="empty">One of the texts is not a route.</p>
  if (changes.length === 0) return <p className="empty">The same objects and fields; only the text differs.</p>
  return (
    <ul aria-label="Changes of the structure" className="structure">
      {changes.slice(0, LISTED).map((change) => (
        <li key={`${change.kind} ${change.pointer}`}>
          <span className={`badge ${change.kind}`}>{change.kind}</span> {isField(change) && 'in '}
          {change.object ?? 'the route'}{' '}
          <code>{change.from === undefined ? change.pointer : `${change.from} → ${change.pointer}`}</code>
          <Values {...change} />
        </li>
      ))}
      {changes.length > LISTED && <li>and {changes.length - LISTED} more</li>}
    </ul>
  )
}

/** Whether it concerns a value of the object, not the object itself. */
function isField({ before, after }: StructureChange): boolean {
  return before !== undefined || after !== undefined
}

function Values({ before, after }: StructureChange) {
  return (
    <>
      {' '}
      {before !== undefined && <del>{shown(before)}</del>}
      {before !== undefined && after !== undefined && ' '}
      {after !== undefined && <ins>{shown(after)}</ins>}
    </>
  )
}

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
