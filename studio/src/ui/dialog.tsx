import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { Failure } from './failure.tsx'

/** A modal dialog of the browser, which keeps the focus inside and is closed by Escape. */
export function Dialog({
  title,
  onClose,
  isWide = false,
  children,
}: {
  title: string
  onClose: () => void
  isWide?: boolean
  children: ReactNode
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // Before the element is removed: closed then, it gives the focus back to where it was.
  useLayoutEffect(() => {
    const element = dialog.current
    if (element !== null && !element.open) {
      element.showModal()
      // Without it the focus is on "Close", and a dialog with one field would not take what is typed.
      element.querySelector<HTMLElement>('input:not([type="radio"]), textarea')?.focus()
    }
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      className={isWide ? 'wide' : undefined}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div className="dialog-head">
        <h2 id={heading}>{title}</h2>
        <button type="button" className="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </div>
      {children}
    </dialog>
  )
}

/** A question whose answer has the name of the action. */
export function Question({
  title,
  text,
  action,
  isDanger = false,
  error = null,
  onAnswer,
}: {
  title: string
  text: string
  action: string
  isDanger?: boolean
  /** Why the action had no success, so far. */
  error?: Error | null
  onAnswer: (isConfirmed: boolean) => void
}) {
  return (
    <Dialog title={title} onClose={() => onAnswer(false)}>
      <p>{text}</p>
      {error !== null && <Failure error={error} />}
      <div className="actions">
        <button type="button" onClick={() => onAnswer(false)}>
          Cancel
        </button>
        <button type="button" className={isDanger ? 'danger' : 'primary'} onClick={() => onAnswer(true)}>
          {action}
        </button>
      </div>
    </Dialog>
  )
}
