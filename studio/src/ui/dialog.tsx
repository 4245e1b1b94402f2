import { type ReactNode, useEffect, useId, useRef } from 'react'

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
  useEffect(() => {
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
  onAnswer,
}: {
  title: string
  text: string
  action: string
  isDanger?: boolean
  onAnswer: (isConfirmed: boolean) => void
}) {
  return (
    <Dialog title={title} onClose={() => onAnswer(false)}>
      <p>{text}</p>
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
