import { useState } from 'react'
import { Link } from 'wouter'

/** Actions on a route, by their buttons and commands. */
export interface EditorActions {
  undo(): void
  redo(): void
  validate(): void
  diff(): void
  deploy(): void
  discard(): void
  history(): void
  duplicate(): void
  rename(): void
  remove(): void
  export(): void
}

/** Name of the route, and the actions on it. */
export function Toolbar({
  id,
  isChanged,
  isNew,
  isDeploying,
  canUndo,
  canRedo,
  actions,
}: {
  id: string
  isChanged: boolean
  isNew: boolean
  isDeploying: boolean
  canUndo: boolean
  canRedo: boolean
  actions: EditorActions
}) {
  const [isMore, setMore] = useState(false)
  // A button that is disabled by what it does keeps the focus: `disabled` would drop it.
  const button = (name: string, run: () => void, isDisabled = false, className?: string) => (
    <button type="button" className={className} aria-disabled={isDisabled} onClick={isDisabled ? undefined : run}>
      {name}
    </button>
  )
  return (
    <div className="bar">
      <Link href="/routes" className="muted">
        Routes
      </Link>
      <h1 id="route-title">{id}</h1>
      {isChanged && <span className="badge">draft</span>}
      <span className="spacer" />
      {button('Undo', actions.undo, !canUndo)}
      {button('Redo', actions.redo, !canRedo)}
      {button('Validate', actions.validate)}
      {button('Diff', actions.diff)}
      {button('History', actions.history, isNew)}
      {button('Discard', actions.discard, !isChanged)}
      {button('Deploy', actions.deploy, !isChanged || isDeploying, 'primary')}
      <button type="button" aria-expanded={isMore} onClick={() => setMore(!isMore)}>
        More
      </button>
      {isMore && (
        <span className="more">
          {button('Duplicate', actions.duplicate)}
          {button('Rename', actions.rename)}
          {button('Export', actions.export)}
          {button('Delete route', actions.remove, isNew, 'danger')}
        </span>
      )}
    </div>
  )
}
