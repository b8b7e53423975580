"""A. Mousavi-Hosseini, C. Sanford, D. Wu, M. A. Erdogdu, When Do Transformers Outperform Feedforward and Recurrent
Networks? A Statistical Perspective, 2025: q-sparse token regression (qSTR)."""
