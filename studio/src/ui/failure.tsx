/** An error as the gateway words it, with the way on. */
export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <div role="alert" className="error failure">
      <p>{error.message}</p>
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}
