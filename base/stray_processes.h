#ifndef REKINDLE_BASE_STRAY_PROCESSES_H_
#define REKINDLE_BASE_STRAY_PROCESSES_H_

namespace rekindle {

// What a process does that stands between us and programs we start, so that
// nothing of them is left. All of it is safe right after fork().

// Ignores the signals of a terminal or of whoever ends a container: they are
// for us to answer, not for such a process. Makes it adopt the descendants of
// its children (PR_SET_CHILD_SUBREAPER).
void BecomeReaper();

// Undoes the ignoring, in a child that is about to become a program.
void RestoreSignals();

// Closes every descriptor but `kept`: a pipe's end held by such a process would
// never close.
void CloseAllBut(int kept);

// Kills all children and whatever else becomes ours with that, however deep,
// and waits for them.
void EndStrays();

}  // namespace rekindle

#endif  // REKINDLE_BASE_STRAY_PROCESSES_H_
