// fails: source
// Three spellings of an #include: a joined line, a digraph, an old word of the preprocessor's.
#inc\
lude "solution.cu"
%:include "solution.cu"
#import "solution.cu"
